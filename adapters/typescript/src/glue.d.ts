/** Made by the build from the compiled module. */
export default function glue(): object;
