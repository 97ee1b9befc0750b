import { basename } from 'node:path';
import { toBounds } from './source-bounds.ts';
import type { DiscoveredEnvironment, DiscoveredField } from './discovered-environment.ts';
import { type PythonLine, type PythonToken, readPythonLines } from './read-python-lines.ts';

interface PythonClass {
  readonly name: string;
  readonly bases: readonly string[];
  /** The statements in its body, without those of its methods. */
  readonly body: readonly PythonLine[];
}

/**
 * Environments of atroposlib in a Python file: classes that extend `BaseEnv`, or one of the file that does; and those the
 * file starts itself with `.cli()`, whose base may be an environment of another file.
 */
export function scanPython(filePath: string, source: string): DiscoveredEnvironment[] {
  if (!/Env\b/.test(source)) return [];
  const lines = readPythonLines(source);
  const classes = listClasses(lines);
  const started = listStarted(lines);
  const environments = listDescendants(
    classes,
    ({ name, bases }) => started.has(name) || bases.some((base) => /(?:^|\.)\w*BaseEnv$/.test(base)),
  );
  const moduleText = readDocstring(lines);
  return environments.map((found) => {
    const fields = readFields(found, classes);
    return {
      name: readName(found) ?? basename(filePath).replace(/\.py$/, ''),
      class_name: found.name,
      file_path: filePath,
      description: firstParagraph(readDocstring(found.body) ?? moduleText ?? ''),
      language: 'python' as const,
      ...(fields === undefined ? {} : { config_fields: fields }),
    };
  });
}

function listClasses(lines: readonly PythonLine[]): PythonClass[] {
  return lines.flatMap((line, index) => {
    const [keyword, name] = line.tokens;
    if (keyword?.value !== 'class' || keyword.kind !== 'name' || name === undefined || line.indent > 0) return [];
    const after = lines.slice(index + 1);
    const length = after.findIndex(({ indent }) => indent <= line.indent);
    const inside = length < 0 ? after : after.slice(0, length);
    const indent = inside[0]?.indent ?? 0;
    return [{ name: name.value, bases: readBases(line.tokens), body: inside.filter((part) => part.indent === indent) }];
  });
}

/** `class A(x.Base, Generic[T], metaclass=M):` has the bases x.Base and Generic. */
function readBases(tokens: readonly PythonToken[]): string[] {
  const bases: string[] = [];
  let depth = 0;
  let current = '';
  let isKeyword = false;
  for (const { value } of tokens.slice(2)) {
    if (value === '(' || value === '[') depth += 1;
    else if (value === ')' || value === ']') depth -= 1;
    if (depth === 1 && value === '=') isKeyword = true;
    if ((depth === 1 && value === ',') || (depth === 0 && current !== '')) {
      if (!isKeyword) bases.push(current);
      [current, isKeyword] = ['', false];
    } else if (depth === 1 && /^[\w.]+$/.test(value)) current += value;
    if (depth === 0 && value === ':') break;
  }
  return bases;
}

/** Names before `.cli()`. */
function listStarted(lines: readonly PythonLine[]): Set<string> {
  const started = lines.filter(
    ({ tokens: [, ...rest] }) =>
      rest
        .slice(0, 3)
        .map(({ value }) => value)
        .join('') === '.cli(',
  );
  return new Set(started.map(({ tokens }) => tokens[0]?.value ?? ''));
}

/** Those that fit, and those whose bases lead to one that does, within the file. */
function listDescendants(classes: readonly PythonClass[], isRoot: (found: PythonClass) => boolean): PythonClass[] {
  const known = new Set<string>();
  return classes.filter((found) => {
    const fits = isRoot(found) || found.bases.some((base) => known.has(base));
    if (fits) known.add(found.name);
    return fits;
  });
}

function readDocstring(lines: readonly PythonLine[]): string | undefined {
  const [first] = lines[0]?.tokens ?? [];
  return first?.kind === 'text' ? first.value : undefined;
}

const firstParagraph = (text: string): string => (text.trim().split(/\n\s*\n/)[0] ?? '').replaceAll(/\s+/g, ' ').trim();

/** `name = "gsm8k"`, with or without a type. */
function readName({ body }: PythonClass): string | undefined {
  const line = body.find(({ tokens }) => tokens[0]?.value === 'name' && tokens.some(({ value }) => value === '='));
  const last = line?.tokens.at(-1);
  return last?.kind === 'text' && last.value !== '' ? last.value : undefined;
}

/** Fields of the class that `env_config_cls` names, when it is in the same file. */
function readFields({ body }: PythonClass, classes: readonly PythonClass[]): DiscoveredField[] | undefined {
  const line = body.find(({ tokens }) => tokens[0]?.value === 'env_config_cls');
  const config = classes.find(({ name }) => name === line?.tokens.at(-1)?.value);
  if (config === undefined) return undefined;
  return config.body.flatMap(({ tokens }) => {
    const [name, colon] = tokens;
    if (name?.kind !== 'name' || colon?.value !== ':') return [];
    return [readField(name.value, tokens.slice(2))];
  });
}

/** `int = 3` or `Optional[int] = Field(default=3, description="…")`. */
function readField(name: string, tokens: readonly PythonToken[]): DiscoveredField {
  const equals = tokens.findIndex(({ value }) => value === '=');
  const [types, values] = equals < 0 ? [tokens, []] : [tokens.slice(0, equals), tokens.slice(equals + 1)];
  const type = nameType(types.map(({ value }) => value).join(''));
  const description = joinTexts(afterKeyword(values, 'description'));
  const isField = values[0]?.value === 'Field';
  const stated = afterKeyword(values, 'default');
  const first = isField ? (stated.length > 0 ? stated : values.slice(2)) : values;
  const value = readLiteral(first);
  const bounds = toBounds(
    type,
    BOUNDS.map((method) => ({ method, value: isField ? readLiteral(afterKeyword(values, method))?.value : undefined })),
  );
  return {
    name,
    type,
    ...(value === undefined ? {} : { default: value.value }),
    ...(description === undefined ? {} : { description }),
    ...(bounds === undefined ? {} : { bounds }),
  };
}

/** Names of pydantic for what they check, where ours is another. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', float: 'number', str: 'string', bool: 'boolean' };

/** `Optional[int]` is an integer that may be missing; what else Python names stays as it is. */
function nameType(given: string): string {
  const inner = /^(?:typing\.)?Optional\[(\w+)\]$/.exec(given)?.[1] ?? given.replace(/\|None$/, '');
  return TYPES[inner] ?? given;
}

/** What `Field(…)` of pydantic takes as bounds. */
const BOUNDS = ['ge', 'gt', 'le', 'lt', 'multiple_of', 'min_length', 'max_length', 'pattern'] as const;

function afterKeyword(tokens: readonly PythonToken[], keyword: string): readonly PythonToken[] {
  const at = tokens.findIndex(({ value }, index) => value === keyword && tokens[index + 1]?.value === '=');
  return at < 0 ? [] : tokens.slice(at + 2);
}

/** Texts side by side are one text. */
function joinTexts(tokens: readonly PythonToken[]): string | undefined {
  const start = tokens[0]?.value === '(' ? 1 : 0;
  let text: string | undefined;
  for (const { kind, value } of tokens.slice(start)) {
    if (kind !== 'text') break;
    text = (text ?? '') + value;
  }
  return text;
}

function readLiteral(tokens: readonly PythonToken[]): { value: unknown } | undefined {
  const [first, second] = tokens;
  if (first === undefined) return undefined;
  // More than one token is something to compute: a call, a sum, an attribute.
  const isMinus = first.value === '-' && second?.kind === 'number';
  const next = tokens[isMinus ? 2 : 1];
  if (next !== undefined && next.value !== ',' && next.value !== ')') return undefined;
  if (isMinus) return { value: -Number(second.value.replaceAll('_', '')) };
  if (first.kind === 'number') return { value: Number(first.value.replaceAll('_', '')) };
  if (first.kind === 'text') return { value: first.value };
  const words: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };
  return Object.hasOwn(words, first.value) ? { value: words[first.value] } : undefined;
}
