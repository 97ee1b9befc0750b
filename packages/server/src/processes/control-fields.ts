import { stat } from 'node:fs/promises';
import { refineFields, type DescribedField, type FoundField } from '../control/config/refine-fields.ts';
import type { ListedEnvironment } from './control-configurator.ts';

/** An environment that takes longer to load is shown by what its source says; the whole answer has 25 seconds. */
const LOAD_MS = 10_000;

/**
 * Asks an environment for its fields, in a process of its own, once for each version of its file. One that does not load
 * is shown by what its source says: the check before a start tells what is wrong with it.
 */
export function createFieldReader(
  readJson: (given: readonly string[]) => Promise<unknown>,
): (environment: ListedEnvironment) => Promise<FoundField[]> {
  const known = new Map<string, { changedAt: number; fields: Promise<FoundField[]> }>();
  const load = async (name: string, found: readonly FoundField[]): Promise<FoundField[]> => {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, LOAD_MS, undefined).unref());
    const reply = await Promise.race([readJson(['env', 'describe', name, '--json']), late]);
    const { fields = [] } = (reply ?? {}) as { fields?: DescribedField[] };
    return refineFields(found, fields);
  };
  return async ({ name, file_path: path, config_fields: listed = [] }) => {
    const found = [...listed];
    if (found.length === 0 || path.endsWith('.py')) return found;
    const changedAt = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const kept = known.get(path);
    if (kept?.changedAt === changedAt) return await kept.fields;
    const fields = load(name, found).catch(() => found);
    known.set(path, { changedAt, fields });
    return await fields;
  };
}
