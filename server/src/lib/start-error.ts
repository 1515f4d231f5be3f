/** A start that cannot go on, with a sentence for the person at the terminal, who can mend it: no stack is shown. */
export class StartError extends Error {}
