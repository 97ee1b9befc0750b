/** Would send Python or uv to other modules, another interpreter or another project than ours. */
const MISLEADING =
  /^(?:PYTHON.*|VIRTUAL_ENV|CONDA_.*|UV_PYTHON|UV_PROJECT.*|UV_RUN.*|UV_ENV_FILE|UV_WORKING_DIR.*|__PYVENV_LAUNCHER__)$/;

/** Credentials of other services; the engine asks nobody. */
const CREDENTIALS = /^(?:TINKER_|HF_TOKEN|HUGGING_?FACE|WANDB_|AWS_|OPENAI_|ANTHROPIC_)/;

type Environment = Readonly<Record<string, string | undefined>>;

/** For installing: the person's own registry, proxy and cache settings stay. */
export function createToolEnvironment(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !MISLEADING.test(name)));
}

export interface EngineEnvironmentOptions {
  readonly env: Environment;
  readonly venvDirectory: string;
  readonly standIns: string;
  readonly compileCache: string;
}

/** For the engine's processes: nothing of the person's Python, no credentials, no network. */
export function createEngineEnvironment(options: EngineEnvironmentOptions): Record<string, string | undefined> {
  const kept = Object.entries(createToolEnvironment(options.env)).filter(
    ([name]) => !name.startsWith('UV_') && !CREDENTIALS.test(name),
  );
  const binaries = `${options.venvDirectory}/bin`;
  return {
    ...Object.fromEntries(kept),
    // The API starts the engine as `uv run …`, so this venv's uv comes first.
    PATH: options.env['PATH'] === undefined ? binaries : `${binaries}:${options.env['PATH']}`,
    VIRTUAL_ENV: options.venvDirectory,
    PYTHONPATH: options.standIns,
    PYTHONUNBUFFERED: '1',
    // Its log breaks lines at the width of a terminal; the line that says it is ready must stay whole.
    COLUMNS: '400',
    HF_HUB_OFFLINE: '1',
    UV_OFFLINE: '1',
    UV_NO_CONFIG: '1',
    JAX_PLATFORMS: 'cpu',
    JAX_COMPILATION_CACHE_DIR: options.compileCache,
    JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS: '0',
    JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES: '0',
  };
}
