import type { AgentEnvironmentSpec } from '@lachesis/sdk/environment';
import type { z } from 'zod';

/** An agent environment without settings or state of its own. */
export type TaskSpec<Item> = AgentEnvironmentSpec<Item, z.ZodObject, undefined>;
