/** What a training process is told, as JSON in its first argument. The same order, given again, goes on from its folder. */
export interface Order {
  readonly url: string;
  readonly model: string;
  /** Where it keeps its journal and the name of its checkpoint. */
  readonly folder: string;
  /** The run ends after so many steps, counted from its first life. */
  readonly steps: number;
  /** Saves after so many steps. */
  readonly saveAfter?: number;
  /** Stops for ever once it has the gradient of this step and has not applied it: the worst moment to be killed. */
  readonly holdBefore?: number;
  /** What a restarted process takes from its checkpoint. Weights alone are the seeded fault. */
  readonly restores: 'weights and optimiser' | 'weights';
}

/** What it says, one JSON line each. */
export type Report =
  | { readonly kind: 'loss'; readonly step: number; readonly loss: number }
  | { readonly kind: 'saved'; readonly afterSteps: number }
  | { readonly kind: 'resumed'; readonly fromStep: number; readonly releasedModels: number }
  | { readonly kind: 'holding'; readonly step: number }
  | { readonly kind: 'done' };
