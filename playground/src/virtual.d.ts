declare module "virtual:rootwise-module" {
  const packed: string;
  export default packed;
}
declare module "virtual:rootwise-rules" {
  /** Paragraphs and items of lists, by the number of the rule. */
  const rules: Record<string, string[]>;
  export default rules;
}
declare module "*.css";
declare module "*.md?raw" {
  const text: string;
  export default text;
}
