import { z } from 'zod';

/** Reply of `GET /runs/{id}/settings`: what a run was started with, beside what the recipe of the server says. */
export const runSettingsSchema = z.looseObject({
  run_id: z.string(),
  /** The recipe it is held against: the one the server has now. */
  recipe: z.string(),
  /** By their names with sections, such as `tinker.learning_rate`. A secret is hidden. */
  settings: z.array(
    z.object({
      name: z.string(),
      /** Null where the run does not set it. */
      value: z.unknown(),
      /** Null where the recipe does not set it. */
      recipe_value: z.unknown(),
      differs: z.boolean(),
    }),
  ),
});

/** The settings of a run, each beside that of the recipe. */
export type RunSettings = z.infer<typeof runSettingsSchema>;
