import { findTransformersPython } from '../../../peers/transformers/run-renderer.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { askPython } from '../ask-python.ts';
import { type Answer, readGoldens } from '../goldens.ts';
import { renderTemplateCase } from '../render-template-case.ts';
import { templateLines } from '../templates.ts';

export const templatesScenario: Scenario = {
  name: 'templates',
  title:
    'what Jinja in Python prints for small templates: numbers, None, scopes, white space, filters, tests, refusals',
  async run(context) {
    const goldens = await readGoldens<Answer[]>('templates');
    const python = findTransformersPython();
    const live = python === undefined ? goldens : await askPython(python, templateLines);
    let differences = 0;
    for (const [index, line] of templateLines.entries()) {
      const ours = renderTemplateCase(line);
      // Words of a refusal are each side's own.
      if (ours.text === goldens[index]?.text && ours.text === live[index]?.text) continue;
      differences += 1;
      context.log(`template ${index}: ours ${JSON.stringify(ours)}, golden ${JSON.stringify(goldens[index])}`);
    }
    context.report({
      name: 'templates',
      figure: `${differences} differences in ${templateLines.length} templates`,
      bar: '0',
      ok: differences === 0 && goldens.length === templateLines.length,
    });
  },
};
