/** The chance of each toolset in percent. Every toolset has a coin of its own, so the sum means nothing. */
export type ToolsetDistribution = Readonly<Record<string, number>>;

const all = (percent: number): ToolsetDistribution => ({
  web: percent,
  vision: percent,
  image_gen: percent,
  terminal: percent,
  file: percent,
  browser: percent,
});

/** The distributions by the names and with the chances that Hermes gives them, so that its configurations mean the same here. */
export const TOOLSET_DISTRIBUTIONS = Object.freeze({
  default: all(100),
  image_gen: { image_gen: 90, vision: 90, web: 55, terminal: 45 },
  research: { web: 90, browser: 70, vision: 50, terminal: 10 },
  science: { web: 94, terminal: 94, file: 94, vision: 65, browser: 50, image_gen: 15 },
  development: { terminal: 80, file: 80, web: 30, vision: 10 },
  safe: { web: 80, browser: 70, vision: 60, image_gen: 60 },
  balanced: all(50),
  minimal: { web: 100 },
  terminal_only: { terminal: 100, file: 100 },
  terminal_web: { terminal: 100, file: 100, web: 100 },
  creative: { image_gen: 90, vision: 90, web: 30 },
  reasoning: { web: 90, file: 60, terminal: 20 },
  browser_use: { browser: 100, web: 80, vision: 70 },
  browser_only: { browser: 100 },
  browser_tasks: { browser: 97, vision: 12, terminal: 15 },
  terminal_tasks: { terminal: 97, file: 97, web: 97, browser: 75, vision: 50, image_gen: 10 },
  mixed_tasks: { browser: 92, terminal: 92, file: 92, web: 35, vision: 15, image_gen: 15 },
} as const satisfies Readonly<Record<string, ToolsetDistribution>>);
