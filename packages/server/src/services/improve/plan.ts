import type { ImprovePlan } from '@lachesis/protocol';

/** How two models are compared: by rating their replies, or by how likely each finds what people preferred. */
export const evaluationOf = ({ rules, judge }: Pick<ImprovePlan, 'judge' | 'rules'>): 'likelihood' | 'replies' =>
  rules === null && judge === null ? 'likelihood' : 'replies';

/** What the recipes of its data sets say they are from: by it they are found after a kill. */
export const improvementSource = (improvementId: string): string => `improvement ${improvementId}`;
