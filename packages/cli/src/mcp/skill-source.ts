/** Where instructions for agents come from. */
export interface SkillSource {
  list(): Promise<{ name: string; description: string }[]>;
  /** Its text in Markdown, or undefined when there is none of that name. */
  read(name: string): Promise<string | undefined>;
}
