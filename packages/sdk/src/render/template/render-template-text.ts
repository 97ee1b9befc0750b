import { compileTemplate } from './compile-template.ts';
import { renderTemplate } from './render-template.ts';
import { NO_MARK } from './text-mark.ts';
import { toTemplateValue } from './to-template-value.ts';
import type { Value } from './values.ts';

export interface RenderTemplateTextOptions {
  /** A Jinja template as transformers would take it. */
  readonly template: string;
  readonly variables: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;
  readonly now?: () => number;
}

/** Renders any template with the filters, tests and number texts of Python; for prompts that are not a conversation. */
export function renderTemplateText(options: RenderTemplateTextOptions): string {
  const { variables } = options;
  const entries: Iterable<[string, unknown]> = variables instanceof Map ? variables : Object.entries(variables);
  const values = new Map<string, Value>();
  for (const [name, value] of entries) {
    if (value !== undefined)
      values.set(
        name,
        toTemplateValue(value, (text) => text, name),
      );
  }
  const template = compileTemplate(options.template);
  return renderTemplate({ template, variables: values, mark: NO_MARK, now: options.now ?? Date.now }).text;
}
