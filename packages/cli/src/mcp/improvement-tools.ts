import { improvementSchema, improvementStartSchema, improvePlanSchema } from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import { answerTool, describeShape, type FurtherTool } from './further-tool.ts';

/** Begins and ends improvements of models. Where one stands is a resource: `lachesis://improvements/{id}`. */
export function createImprovementTools(client: ControlClient): FurtherTool[] {
  return [
    {
      listed: {
        name: 'improve_start',
        title: 'Improve a model',
        description:
          'Begin an improvement of a model: from ratings to a data set, a training, a comparison on held-out prompts, and a ' +
          'promotion if it is better. Answers at once; read lachesis://improvements/{improvement_id} for how it goes. It ' +
          'trains, which may cost money. A model has one at a time: is_new false is the one that was open.',
        inputSchema: describeShape(improvePlanSchema, 'input'),
        outputSchema: describeShape(improvementStartSchema, 'output'),
        annotations: { ...hints, title: 'Improve a model', idempotentHint: false, openWorldHint: true },
      },
      run: (input, signal) =>
        answerTool(async () => {
          const plan = improvePlanSchema.safeParse(input);
          if (plan.success) return await client.startImprovement(plan.data, { signal });
          const [issue] = plan.error.issues;
          const field = issue?.path.map(String).join('.') ?? '';
          throw new Error(
            `improve_start cannot use its arguments: ${field === '' ? '' : `${field}: `}${issue?.message}`,
          );
        }),
    },
    {
      listed: {
        name: 'improve_stop',
        title: 'Stop an improvement',
        description:
          'End an improvement that is open, wherever it runs. Nothing of it is promoted; its ratings count for the next one.',
        inputSchema: {
          type: 'object',
          properties: {
            improvement_id: { type: 'string', description: 'Its id, the beginning of it, or the name of its model.' },
          },
          required: ['improvement_id'],
        },
        outputSchema: describeShape(improvementSchema, 'output'),
        annotations: { ...hints, title: 'Stop an improvement', destructiveHint: true, idempotentHint: true },
      },
      run: (input, signal) =>
        answerTool(async () => {
          const { improvement_id: id } = (input ?? {}) as { improvement_id?: unknown };
          if (typeof id === 'string' && id !== '') return await client.stopImprovement(id, { signal });
          throw new Error('improve_stop takes improvement_id.');
        }),
    },
  ];
}

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
