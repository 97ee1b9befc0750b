import type { compareModels } from '@lachesis/sdk/environment';
import type { ModelVersion } from '@lachesis/store';
import type { LocalLibrary } from '../../flags/library/local-library.ts';

type PairedDifference = ReturnType<typeof compareModels>[number];

export interface CompareArguments {
  left: string;
  right: string;
  environment?: string | undefined;
  dataset?: string | undefined;
  reward?: string | undefined;
  split?: string | undefined;
  limit?: string | undefined;
  replies?: string | undefined;
  temperature?: string | undefined;
  'max-tokens'?: string | undefined;
  seed?: string | undefined;
  config?: string | undefined;
  tokenizer?: string | undefined;
  'engine-url'?: string | undefined;
  record?: boolean | undefined;
  home?: string | undefined;
  json?: boolean | undefined;
  /** `--env.*` and `--openai.*`, by section. */
  settings: Readonly<Record<string, unknown>>;
}

/** What a way of measuring gets. */
export interface CompareJob {
  args: CompareArguments;
  library: LocalLibrary;
  left: ModelVersion;
  right: ModelVersion;
  engineUrl: string | undefined;
  signal: AbortSignal;
  log: (text: string) => void;
}

/** What both ways of measuring give. */
export interface Comparison extends Omit<PairedDifference, 'left' | 'right'> {
  /** `environment gsm8k`, `data set chats@2`. */
  on: string;
  /** What one number of one item is. */
  measure: string;
  leftMean: number;
  rightMean: number;
}
