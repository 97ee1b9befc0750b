import { stringify } from 'yaml';
import { isRecord } from '@lachesis/protocol';
import type { ResolvedConfig } from './resolve-config.ts';

const HIDDEN = '••••';

/** One line per setting: path, value, and where it came from unless that is the default. */
export function printConfig({ values, origins, secrets }: ResolvedConfig<unknown>): string {
  const lines = Object.entries(origins).flatMap(([path, origin]) => {
    const value = readPath(values, path);
    if (value === undefined) return [];
    const shown = isHidden(secrets, path, value) ? HIDDEN : JSON.stringify(value);
    return [{ text: `${path}: ${shown}`, origin }];
  });
  const width = Math.min(60, Math.max(0, ...lines.map(({ text }) => text.length)));
  return lines
    .map(({ text, origin }) => (origin === 'default' ? text : `${text.padEnd(width)}  # ${origin}`))
    .join('\n');
}

/** The values as a YAML file that gives the same configuration again; secrets are left out. */
export function writeConfigYaml({ values, secrets }: ResolvedConfig<unknown>): string {
  return stringify(dropSecrets(values, '', secrets));
}

function dropSecrets(value: unknown, path: string, secrets: ReadonlySet<string>): unknown {
  const at = (key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((inner, index) => dropSecrets(inner, at(index), secrets));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => inner !== undefined && !secrets.has(at(key)));
  return Object.fromEntries(kept.map(([key, inner]) => [key, dropSecrets(inner, at(key), secrets)]));
}

const isHidden = (secrets: ReadonlySet<string>, path: string, value: unknown): boolean =>
  secrets.has(path) && value !== '';

function readPath(values: unknown, path: string): unknown {
  let value = values;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}
