import { homePaths } from '@lachesis/protocol/home';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The data this package ships: pins, stand-ins and scripts. The same place from src/engine and from dist/engine. */
const DATA_DIRECTORY = fileURLToPath(new URL('../../engine/', import.meta.url));

/** What ships inside the package. */
export const shippedFiles = Object.freeze({
  requirementsLock: join(DATA_DIRECTORY, 'requirements.lock'),
  smolLm2Lock: join(DATA_DIRECTORY, 'smollm2.lock'),
  standIns: join(DATA_DIRECTORY, 'stand-ins'),
  makeTinyModel: join(DATA_DIRECTORY, 'make_tiny_model.py'),
  convertGguf: join(DATA_DIRECTORY, 'convert_gguf.py'),
});

/** Where the keeper keeps what it makes. */
export interface EnginePaths {
  readonly directory: string;
  /** Held while a venv or a model is being made. */
  readonly makeLock: string;
  readonly models: string;
  readonly downloads: string;
  /** Compiled programs of JAX. Kept over restarts: they make a start and a first step several times quicker. */
  readonly compileCache: string;
}

export function listEnginePaths(home: string): EnginePaths {
  const directory = homePaths(resolve(home)).engine;
  return {
    directory,
    makeLock: join(directory, 'make.lock'),
    models: join(directory, 'models'),
    downloads: join(directory, 'downloads'),
    compileCache: join(directory, 'compile-cache'),
  };
}

/** Where one running engine keeps its state. */
export interface RunPaths {
  readonly directory: string;
  /** Held while an engine is being started. */
  readonly startLock: string;
  readonly state: string;
  readonly log: string;
  readonly previousLog: string;
  readonly checkpoints: string;
  /** An empty working folder: `uv run` would take a project in or above it as its own. */
  readonly work: string;
  /** Stands in the command line of each of the engine's processes, and in that of no other. */
  readonly databaseUrl: string;
}

export function listRunPaths(home: string, runDirectory = join(listEnginePaths(home).directory, 'run')): RunPaths {
  const directory = resolve(runDirectory);
  return {
    directory,
    startLock: join(directory, 'start.lock'),
    state: join(directory, 'state.json'),
    log: join(directory, 'engine.log'),
    previousLog: join(directory, 'engine.previous.log'),
    checkpoints: join(directory, 'checkpoints'),
    work: join(directory, 'work'),
    databaseUrl: `sqlite:///${join(directory, 'tinker.db')}`,
  };
}
