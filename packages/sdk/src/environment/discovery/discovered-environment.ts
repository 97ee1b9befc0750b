import type { FieldBounds, FieldKind } from '@lachesis/protocol';

/** A field of an environment's configuration, as far as its source says it. */
export interface DiscoveredField {
  readonly name: string;
  /** `number`, `integer`, `string`, `boolean`, `enum`, or what else the source names. */
  readonly type: string;
  /** Absent when there is none, or when only running the code would tell. */
  readonly default?: unknown;
  readonly description?: string;
  /** What its value can do, where the source declares it. */
  readonly kind?: FieldKind;
  /** What its value must hold besides the type, as far as the source says it in numbers. */
  readonly bounds?: FieldBounds;
}

/** An environment that was found by reading, without running it. The names are those of the control API. */
export interface DiscoveredEnvironment {
  readonly name: string;
  /** The class, or the name under which a definition is exported. */
  readonly class_name: string;
  readonly file_path: string;
  readonly description: string;
  readonly language: 'typescript' | 'python';
  readonly config_fields?: readonly DiscoveredField[];
}

/** What was in the way of finding more. */
export interface DiscoveryProblem {
  readonly path: string;
  readonly reason: string;
}
