import { RenderError, parseJson } from '@lachesis/sdk/render';
import { renderTemplateText } from '../../../packages/sdk/src/render/template/render-template-text.ts';

import type { Answer } from './goldens.ts';
import { STANDING_CLOCK } from './render-case.ts';

/** Our side of a line of kind `template`. */
export function renderTemplateCase(json: string): Answer {
  const { template, variables } = parseJson(json) as unknown as {
    template: string;
    variables: Record<string, unknown>;
  };
  try {
    return { text: renderTemplateText({ template, variables, now: STANDING_CLOCK }) };
  } catch (error) {
    if (RenderError.isInstance(error)) return { error: error.reason };
    throw error;
  }
}
