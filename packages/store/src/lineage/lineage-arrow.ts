/** What an arrow may begin and end at. */
export const LINEAGE_KINDS = ['feedback', 'trajectory', 'dataset', 'run', 'checkpoint', 'model'] as const;

export type LineageKind = (typeof LINEAGE_KINDS)[number];

/** One record: a feedback, trajectory or checkpoint by its id, a data set by `dataset_id`, a run by its name, a model by `modelVersionId`. */
export interface LineageNode {
  kind: LineageKind;
  id: string;
}

/**
 * What an arrow says. It always goes from what was there before to what was made of it:
 *
 * - `row-of`: a trajectory or a feedback is in a row of a data set, or rollouts of a run are its rows
 * - `rated-row-of`: a feedback is about a trajectory that is a row of a data set
 * - `input-of`: a run read a data set
 * - `trained-into`: a data set made a model
 * - `produced`: a run made a model
 * - `registered-as`: a checkpoint is a model
 * - `parent-of`: a model was trained on from
 * - `rewarded`: a reward model scored the training of a model
 * - `answered`: a model wrote replies in a trajectory
 * - `rerolled-as`: turns of a trajectory were sampled again into another, which is forgotten with it
 */
export const LINEAGE_RELATIONS = [
  'row-of',
  'rated-row-of',
  'input-of',
  'trained-into',
  'produced',
  'registered-as',
  'parent-of',
  'rewarded',
  'answered',
  'rerolled-as',
] as const;

export type LineageRelation = (typeof LINEAGE_RELATIONS)[number];

export interface LineageArrow {
  from: LineageNode;
  to: LineageNode;
  relation: LineageRelation;
}
