import { z } from 'zod';
import type { AgentTool, ToolArguments, ToolContext } from './agent-tool.ts';
import { ToolError } from './tool-error.ts';

export interface DefineToolOptions<S extends z.ZodObject> extends Pick<
  AgentTool,
  'name' | 'description' | 'timeoutMs'
> {
  /** The descriptions of its fields are read by the model. */
  input: S;
  risk?:
    | AgentTool['risk']
    | ((args: z.output<S>) => ReturnType<Extract<AgentTool['risk'], (...args: never) => unknown>>);
  preview?: ((args: z.output<S>) => string | Promise<string>) | undefined;
  execute: (args: z.output<S>, context: ToolContext) => Promise<unknown>;
}

/** A tool whose arguments are checked by a schema before anything of it runs. */
export function defineTool<S extends z.ZodObject>(options: DefineToolOptions<S>): AgentTool {
  const { name, description, timeoutMs, input, risk, preview, execute } = options;
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: 'input' });
  const read = (args: ToolArguments): z.output<S> => {
    const { success, data, error } = input.safeParse(args);
    if (success) return data;
    const places = error.issues.map(({ path, message }) =>
      path.length === 0 ? message : `${path.join('.')}: ${message}`,
    );
    throw new ToolError({
      what: `The arguments of ${name} do not fit`,
      reason: places.join('; '),
      hint: 'Call it again with arguments that fit its schema',
    });
  };
  return {
    ...{ name, description, parameters, timeoutMs },
    risk: typeof risk === 'function' ? (args) => risk(read(args)) : risk,
    preview: preview === undefined ? undefined : (args) => preview(read(args)),
    execute: async (args, context) => execute(read(args), context),
  };
}
