import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';
import { ConfigError } from './config-error.ts';

/**
 * Reads a YAML file of configuration; throws a `ConfigError` that names the place. An empty one is an empty
 * configuration.
 */
export async function readYamlFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError({
      kind: 'bad-file',
      reason: `The configuration ${path} cannot be read (${code}).`,
      hint: 'Check the path after --config.',
      cause,
    });
  }
  try {
    return parseYaml(text);
  } catch (cause) {
    if (!(cause instanceof YAMLParseError)) throw cause;
    const at = cause.linePos?.[0];
    throw new ConfigError({
      kind: 'bad-file',
      reason: `The configuration ${path} is not YAML${at === undefined ? '' : ` at line ${at.line}, column ${at.col}`}: ${cause.code}.`,
      cause,
    });
  }
}

/** Python writes `None` where YAML has `null`, and files written for it hold both. */
function parseYaml(text: string): unknown {
  return parse(text, (_key, value: unknown) => (value === 'None' ? null : value)) ?? {};
}
