import { LachesisError } from '@lachesis/protocol';
import { findReply, type Store } from '@lachesis/store';

type FoundReply = Awaited<ReturnType<typeof findReply>>[number];

/** Whose things, and what somebody typed for one of them. */
export interface Named {
  store: Store;
  tenantId: string;
  ref: string;
}

/** Shorter ones are words. No character of it means something in a pattern. */
const BEGINNING = /^[0-9a-f-]{6,35}$/;

/** What a trajectory or one reply of it is called by anybody: findReply, and the beginning of an id; undefined when there is none. */
export async function findNamedReply({ store, tenantId, ref }: Named): Promise<FoundReply | undefined> {
  const [named, another] = await findReply({ store, tenantId, name: ref });
  if (another !== undefined) {
    throw new LachesisError({
      code: 'conflict',
      message: `${JSON.stringify(ref)} is the id of more than one response`,
      hint: 'The server behind gives its responses one id. Name the turn by its own: x-lachesis-turn-id of the reply.',
    });
  }
  if (named !== undefined || !BEGINNING.test(ref)) return named;
  const ours = store.db.selectFrom('trajectories').select('trajectory_id as id').where('tenant_id', '=', tenantId);
  const begun = await ours.where('trajectory_id', 'like', `${ref}%`).limit(2).execute();
  const trajectoryId = only(begun, 'id of a trajectory', ref);
  return trajectoryId === undefined ? undefined : { trajectoryId, turnIndex: undefined };
}

/** The id of a trajectory by itself, by its beginning, by the key that its recorder gave, or by a reply in it; undefined when there is none. */
export async function findTrajectoryId(named: Named): Promise<string | undefined> {
  return (await findNamedReply(named))?.trajectoryId;
}

/** The id of feedback by itself or by its beginning; undefined when there is none. */
export async function findFeedbackId({ store, tenantId, ref }: Named): Promise<string | undefined> {
  const ours = store.db.selectFrom('feedback').select('feedback_id as id').where('tenant_id', '=', tenantId);
  const [named] = await ours.where('feedback_id', '=', ref).execute();
  const waiting = store.db.selectFrom('waiting_feedback').select('feedback_id as id').where('tenant_id', '=', tenantId);
  const [early] = named === undefined ? await waiting.where('feedback_id', '=', ref).execute() : [named];
  if (early !== undefined || !BEGINNING.test(ref)) return early?.id;
  const begun = [
    ...(await ours.where('feedback_id', 'like', `${ref}%`).limit(2).execute()),
    ...(await waiting.where('feedback_id', 'like', `${ref}%`).limit(2).execute()),
  ];
  return only(begun, 'id of feedback', ref);
}

/** The id of a model by its beginning; undefined when there is none. */
export async function findModelId({ store, tenantId, ref }: Named): Promise<string | undefined> {
  if (!BEGINNING.test(ref)) return undefined;
  const ours = store.db.selectFrom('model_versions').select('model_version_id as id').where('tenant_id', '=', tenantId);
  return only(await ours.where('model_version_id', 'like', `${ref}%`).limit(2).execute(), 'id of a model', ref);
}

/** The id of an improvement by its beginning; undefined when there is none. */
export async function findImprovementId({ store, tenantId, ref }: Named): Promise<string | undefined> {
  if (!BEGINNING.test(ref)) return undefined;
  const ours = store.db.selectFrom('improvements').select('improvement_id as id').where('tenant_id', '=', tenantId);
  return only(await ours.where('improvement_id', 'like', `${ref}%`).limit(2).execute(), 'id of an improvement', ref);
}

/**
 * A job by its name or the beginning of it; undefined when there is none. People choose the names: a short beginning is as
 * good as a long one, and `_` is a character of it, where a pattern would take any.
 */
export async function findJobName({ store, tenantId, ref }: Named): Promise<string | undefined> {
  const ours = store.db.selectFrom('work_jobs').select('name as id').where('tenant_id', '=', tenantId);
  const [named] = await ours.where('name', '=', ref).execute();
  if (named !== undefined || ref === '') return named?.id;
  // As the database counts characters.
  const { length } = Array.from(ref);
  const begun = ours.where((eb) => eb(eb.fn('substr', ['name', eb.lit(1), eb.lit(length)]), '=', ref));
  return only(await begun.limit(2).execute(), 'name of a job', ref);
}

/** A run by its name or the beginning of it; undefined when there is none. */
export async function findRunName({ store, tenantId, ref }: Named): Promise<string | undefined> {
  const ours = store.db.selectFrom('runs').select('name as id').where('tenant_id', '=', tenantId);
  const [named] = await ours.where('name', '=', ref).execute();
  if (named !== undefined || ref === '') return named?.id;
  const { length } = Array.from(ref);
  const begun = ours.where((eb) => eb(eb.fn('substr', ['name', eb.lit(1), eb.lit(length)]), '=', ref));
  return only(await begun.limit(2).execute(), 'name of a run', ref);
}

/** A beginning that several have names none of them. */
function only(found: readonly { id: string }[], what: string, ref: string): string | undefined {
  if (found.length <= 1) return found[0]?.id;
  throw new LachesisError({
    code: 'conflict',
    message: `${JSON.stringify(ref)} is the beginning of more than one ${what}`,
    hint: 'Type more of it.',
  });
}
