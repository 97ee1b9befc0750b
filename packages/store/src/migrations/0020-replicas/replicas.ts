import type { Migration } from '../migration.ts';

/** What one server of a run knew in its memory alone: who is answering a push, and when an environment was last heard. */
export const replicasMigration: Migration = {
  number: 20,
  name: 'replicas',
  // Only adds columns: a server of the version before writes none of them, and is alone with its runs as it was.
  minReader: 1,
  statements: () => [
    'alter table post_receipts add column answered_by text',
    'alter table environments add column heard_at bigint',
  ],
};
