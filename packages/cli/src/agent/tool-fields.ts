import { ToolError, type AgentTool, type ToolArguments } from '@lachesis/sdk/agent';

interface TextField {
  type: 'string';
  description: string;
  fallback?: string;
}

interface WholeField {
  type: 'integer';
  description: string;
  minimum: number;
  maximum: number;
  fallback?: number;
}

/** What a tool of this room takes. A field without a fallback has to be given. */
export type ToolFields = Readonly<Record<string, TextField | WholeField>>;

export type FieldValues<F extends ToolFields> = {
  readonly [Name in keyof F]: F[Name] extends TextField ? string : number;
};

/** The JSON schema that the model sees. */
export function toParameters(fields: ToolFields): AgentTool['parameters'] {
  const properties = Object.entries(fields).map(([name, { fallback, ...shape }]) => [
    name,
    fallback === undefined ? shape : { ...shape, default: fallback },
  ]);
  const required = Object.entries(fields).flatMap(([name, { fallback }]) => (fallback === undefined ? [name] : []));
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** What the model gave, checked. */
export function readFields<F extends ToolFields>(tool: string, fields: F, args: ToolArguments): FieldValues<F> {
  const refuse = (reason: string): never => {
    throw new ToolError({ what: `The arguments of ${tool} do not fit`, reason, hint: 'Call it again with its fields' });
  };
  const names = Object.keys(fields);
  const unknown = Object.keys(args).find((name) => !names.includes(name));
  if (unknown !== undefined) refuse(`there is no ${JSON.stringify(unknown)}, only ${names.join(', ')}`);
  const values = Object.entries(fields).map(([name, field]) => {
    const value = args[name] ?? field.fallback;
    if (field.type === 'string') return [name, typeof value === 'string' ? value : refuse(`${name} is a text`)];
    const isInside = Number.isInteger(value) && Number(value) >= field.minimum && Number(value) <= field.maximum;
    return [name, isInside ? value : refuse(`${name} is a whole number from ${field.minimum} to ${field.maximum}`)];
  });
  return Object.fromEntries(values) as FieldValues<F>;
}

export interface FieldToolOptions<F extends ToolFields> extends Pick<AgentTool, 'name' | 'description' | 'timeoutMs'> {
  fields: F;
  risk?: 'writes' | undefined;
  preview?: ((values: FieldValues<F>) => Promise<string>) | undefined;
  execute: (values: FieldValues<F>, signal: AbortSignal) => Promise<unknown>;
}

export function defineFieldTool<F extends ToolFields>(options: FieldToolOptions<F>): AgentTool {
  const { name, description, timeoutMs, fields, risk, preview, execute } = options;
  return {
    ...{ name, description, timeoutMs, risk, parameters: toParameters(fields) },
    preview: preview === undefined ? undefined : async (args) => preview(readFields(name, fields, args)),
    execute: async (args, { signal }) => execute(readFields(name, fields, args), signal),
  };
}
