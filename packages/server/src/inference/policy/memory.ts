import { activePolicySchema, type ActivePolicy } from '@lachesis/protocol';
import { readSettings, writeSettings, type Store } from '@lachesis/store';

/** Remembers what was published, so that a successor serves it again. */
export interface PolicyMemory {
  /** The newest first. */
  load(): Promise<ActivePolicy[]>;
  save(history: readonly ActivePolicy[]): Promise<void>;
}

/** As many as a person scrolls through. */
export const KEPT_POLICIES = 100;

const NAME = 'policies';

/** Keeps them with the settings of the run's inference. */
export function createStorePolicyMemory({
  store,
  tenantId,
  run,
}: {
  store: Store;
  tenantId: string;
  run: string;
}): PolicyMemory {
  const scope = { store, tenantId, scope: `inference:${run}` };
  return {
    async load() {
      const found = (await readSettings(scope)).find(({ name }) => name === NAME);
      // What another version wrote differently is forgotten: the trainer publishes again.
      const parsed = activePolicySchema.array().safeParse(found?.value);
      return parsed.success ? parsed.data : [];
    },
    async save(history) {
      const value = history.slice(0, KEPT_POLICIES).map(({ model_version_id: id, ...policy }) => ({
        ...policy,
        ...(id === undefined ? {} : { model_version_id: id }),
      }));
      await writeSettings({ ...scope, settings: [{ name: NAME, value, origin: 'published' }] });
    },
  };
}
