import { groundMigration } from './0001-ground/ground.ts';
import { trainingMigration } from './0002-training/training.ts';
import { libraryMigration } from './0003-library/library.ts';
import { controlMigration } from './0004-control/control.ts';
import { modelsMigration } from './0005-models/models.ts';
import { improvementsMigration } from './0006-improvements/improvements.ts';
import { workMigration } from './0007-work/work.ts';
import { grantsMigration } from './0008-grants/grants.ts';
import { homeMigration } from './0009-home/home.ts';
import { auditMigration } from './0010-audit/audit.ts';
import { ownersMigration } from './0011-owners/owners.ts';
import { leasesMigration } from './0012-leases/leases.ts';
import { callIdsMigration } from './0013-call-ids/call-ids.ts';
import { unusedMigration } from './0014-unused/unused.ts';
import { improvementRunnerMigration } from './0015-improvement-runner/improvement-runner.ts';
import { runKindsMigration } from './0016-run-kinds/run-kinds.ts';
import { stepRolloutsMigration } from './0017-step-rollouts/step-rollouts.ts';
import { replyNamesMigration } from './0018-reply-names/reply-names.ts';
import { itemRatesMigration } from './0019-item-rates/item-rates.ts';
import { replicasMigration } from './0020-replicas/replicas.ts';
import { coldMigration } from './0021-cold/cold.ts';
import type { Migration } from './migration.ts';

/** In order; a new one goes at the end and never changes once released. */
export const allMigrations: readonly Migration[] = Object.freeze([
  groundMigration,
  trainingMigration,
  libraryMigration,
  controlMigration,
  modelsMigration,
  improvementsMigration,
  workMigration,
  grantsMigration,
  homeMigration,
  auditMigration,
  ownersMigration,
  leasesMigration,
  callIdsMigration,
  unusedMigration,
  improvementRunnerMigration,
  runKindsMigration,
  stepRolloutsMigration,
  replyNamesMigration,
  itemRatesMigration,
  replicasMigration,
  coldMigration,
]);
