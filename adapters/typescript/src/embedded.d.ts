/** The WebAssembly module, compressed with Brotli, in Base64; made by the build. */
declare const embedded: string;
export default embedded;
