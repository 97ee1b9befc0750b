import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { refineFields, type DescribedField, type FoundField } from './refine-fields.ts';
import type { ListedEnvironment } from './create-configurator.ts';

/** An environment that takes longer to load is shown by what its source says; the whole answer has 25 seconds. */
const LOAD_MS = 10_000;

/**
 * Asks an environment for its fields, in a process of its own, once for each content of its file. One that does not load
 * is shown by what its source says: the check before a start tells what is wrong with it.
 */
export function createFieldReader(
  readJson: (given: readonly string[]) => Promise<unknown>,
): (environment: ListedEnvironment) => Promise<FoundField[]> {
  const known = new Map<string, { digest: string; fields: Promise<FoundField[]> }>();
  const load = async (name: string, found: readonly FoundField[]): Promise<FoundField[]> => {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LOAD_MS, undefined).unref());
    const reply = await Promise.race([readJson(['env', 'describe', name, '--json']), late]);
    const { fields = [] } = (reply ?? {}) as { fields?: DescribedField[] };
    return refineFields(found, fields);
  };
  return async ({ name, file_path: path, config_fields: listed = [] }) => {
    const found = [...listed];
    if (path.endsWith('.py')) return found;
    const digest = await readFile(path).then(
      (bytes) => createHash('sha256').update(bytes).digest('hex'),
      () => 'none',
    );
    const kept = known.get(path);
    if (kept?.digest === digest) return await kept.fields;
    const fields = load(name, found).catch(() => found);
    known.set(path, { digest, fields });
    return await fields;
  };
}
