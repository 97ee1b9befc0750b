import { z } from 'zod';

const versionSchema = z.int().min(0);

/** `POST /v1/policy`: serve these weights from now on. */
export const policyPublicationSchema = z.strictObject({
  /** A saved checkpoint (`tinker://…`); null is the base model. */
  model_path: z.string().min(1).nullable(),
  policy_version: versionSchema,
  /** The training step that made it. */
  step: z.int().min(0),
  /** For a server that does not know it yet. */
  base_model: z.string().min(1).optional(),
  /** Takes a lower version too, and other weights under a version that was published: for a run that starts over. */
  force: z.boolean().optional(),
  /** The registered model that these weights are; it is noted with every recorded reply. */
  model_version_id: z.string().min(1).max(100).optional(),
});

export type PolicyPublication = z.input<typeof policyPublicationSchema>;

/** The weights that are served now, with the version that replies carry. */
export const activePolicySchema = z.object({
  policy_version: versionSchema,
  model_path: z.string().nullable(),
  step: z.int().min(0),
  base_model: z.string(),
  /** When it began to answer, in milliseconds since 1970. */
  active_since: z.number(),
  /** The registered model it is, where it is one. */
  model_version_id: z.string().optional(),
});

export type ActivePolicy = z.infer<typeof activePolicySchema>;

/** `GET /v1/policy`: what answers now, and what did before, the newest first. */
export const policyStateSchema = z.object({
  /** Null while no weights are loaded. */
  active: activePolicySchema.nullable(),
  history: z.array(activePolicySchema),
});

export type PolicyState = z.infer<typeof policyStateSchema>;
