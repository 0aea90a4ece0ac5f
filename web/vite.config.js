// One script and one style sheet with fixed names: the server lists them, and the one-file report puts them inside.
export default {
  base: "./",
  build: {
    outDir: "../src/assay/explorer/static",
    emptyOutDir: true,
    modulePreload: false,
    target: "es2022",
    rollupOptions: {
      output: { entryFileNames: "pages.js", assetFileNames: "pages[extname]", codeSplitting: false },
    },
  },
};
