import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAND_INS = fileURLToPath(new URL('stand-ins', import.meta.url));

/**
 * Variables for a Python of this folder with the real transformers instead of the stand-in, so that any model's tokenizer
 * can be had. The package comes from the venv of the transformers peers, which is made with the same Python; wandb stays a
 * stand-in.
 */
export function useRealTransformers(): Readonly<Record<string, string>> {
  const python = process.env['LACHESIS_TRANSFORMERS_PYTHON'];
  if (python === undefined || !existsSync(python)) {
    throw new Error('LACHESIS_TRANSFORMERS_PYTHON names no Python: run .ci/setup, then `. .ci/env.sh`');
  }
  const [packages] = globSync(join(dirname(dirname(python)), 'lib', 'python3*', 'site-packages'));
  if (packages === undefined) throw new Error(`there are no packages beside ${python}: run .ci/setup again`);
  return {
    PYTHONPATH: `${packages}:${STAND_INS}`,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    // A model is a folder here; a name that is none must not cost a minute of retries.
    HF_HUB_OFFLINE: '1',
    no_proxy: '127.0.0.1,localhost',
    NO_PROXY: '127.0.0.1,localhost',
  };
}
