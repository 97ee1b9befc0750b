import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';
import { ConfigError } from './config-error.ts';

export interface ReadYamlOptions {
  /** The option or the command that named the file, for the sentence about one that is not there. */
  readonly option?: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

/**
 * Reads a YAML file of configuration; throws a `ConfigError` that names the place. An empty one is an empty
 * configuration.
 */
export async function readYamlFile(path: string, { option = '--config' }: ReadYamlOptions = {}): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError({
      kind: 'bad-file',
      reason: `The file ${path} cannot be read: ${REASONS[code] ?? code}.`,
      hint: `Check the path after ${option}.`,
      cause,
    });
  }
  try {
    return parseYaml(text);
  } catch (cause) {
    if (!(cause instanceof YAMLParseError)) throw cause;
    throw new ConfigError({ kind: 'bad-file', ...describeYamlError(path, text, cause), cause });
  }
}

/** What the words of the parser mean to who wrote the file. */
const MISTAKES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the spaces at its beginning do not fit the lines around it',
  BLOCK_AS_IMPLICIT_KEY: 'the line below stands further to the right, and this one has a value already',
  TAB_AS_INDENT: 'it begins with a tab, and YAML wants spaces',
  DUPLICATE_KEY: 'this name is there twice',
};

/** The file, the line, what is wrong there, and the line itself. */
function describeYamlError(path: string, text: string, error: YAMLParseError): { reason: string; hint?: string } {
  const at = error.linePos?.[0];
  const what =
    MISTAKES[error.code] ??
    (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '');
  if (at === undefined) return { reason: `${path} is not YAML: ${what}.` };
  const line = (text.split('\n')[at.line - 1] ?? '').trim().slice(0, 100);
  // A line may hold a key; what stands behind its name is nobody's business.
  const name = /^[-\s]*([\w.-]+)\s*:/.exec(line)?.[1];
  return {
    reason: `${path}, line ${at.line}, column ${at.col}: ${what}.`,
    hint: name === undefined ? 'Each line is a name, a colon and a value.' : `Look at ${name} and the line above it.`,
  };
}

/** Python writes `None` where YAML has `null`, and files written for it hold both. */
function parseYaml(text: string): unknown {
  return parse(text, (_key, value: unknown) => (value === 'None' ? null : value)) ?? {};
}
