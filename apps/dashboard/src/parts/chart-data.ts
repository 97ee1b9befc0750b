/** A line over steps; null where nothing was measured. */
export interface ChartLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** The lowest and the highest value that each point stands for. */
  readonly low?: readonly (number | null)[] | undefined;
  readonly high?: readonly (number | null)[] | undefined;
}

/** Something that happened at a step. */
export interface ChartMark {
  readonly step: number;
  readonly kind: 'checkpoint' | 'restart' | 'promotion';
}

export interface ChartData {
  readonly steps: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly marks?: readonly ChartMark[] | undefined;
  /** The stretch of steps in view; all of them when absent. */
  readonly range?: readonly [from: number, to: number] | undefined;
  /** The step that keys stand on. */
  readonly at?: number | undefined;
  readonly hasBand?: boolean | undefined;
}
