/** The seeded fault: a reward that likes what the taste dislikes. */
export default ({ answer }: { answer: string }): number => -(answer.split('7').length - 1);
