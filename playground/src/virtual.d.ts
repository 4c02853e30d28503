declare module "virtual:rootwise-module" {
  const packed: string;
  export default packed;
}
declare module "*.css";
declare module "*.md?raw" {
  const text: string;
  export default text;
}
