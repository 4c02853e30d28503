// Compiled, never run: what the gate leaves for the handlers of an Express application.
import express from "express";
import { type Project, projectGate } from "rootwise/mcp";

const app = express();
app.use("/mcp", projectGate({ header: "X-Workspace-Id", allowedDirs: ["/srv"] }));
app.post("/mcp", (req, res) => {
  const project: Readonly<Project<false>> | undefined = req.rootwise;
  res.end(project?.name ?? "none");
});
