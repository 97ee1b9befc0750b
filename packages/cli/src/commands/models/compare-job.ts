import type { compareModels } from '@lachesis/sdk/environment';
import type { RegisteredModel } from '@lachesis/protocol';
import type { LibraryArguments } from '../../flags/library/locate-library.ts';
import type { ModelLibrary } from '../../flags/library/models.ts';

type PairedDifference = ReturnType<typeof compareModels>[number];

export interface CompareArguments extends LibraryArguments {
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
  json?: boolean | undefined;
  /** `--env.*` and `--openai.*`, by section. */
  settings: Readonly<Record<string, unknown>>;
}

/** What a way of measuring gets. */
export interface CompareJob {
  args: CompareArguments;
  library: ModelLibrary;
  left: RegisteredModel;
  right: RegisteredModel;
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
