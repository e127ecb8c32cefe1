//===- Plan.td - passes that decide ----------------------------*- tablegen -*-===//
//
// Planning: attributes only.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_PASSES_PLAN
#define UDNN_PASSES_PLAN

include "mlir/Pass/PassBase.td"

def PlanPass : Pass<"dnn-plan", "::mlir::ModuleOp"> {
  let summary = "choose kernel family and layouts of every unit";
  let description = [{
    Asks every kernel family for its candidates, predicts their times by the
    cost model, and writes the choice as `plan` on each `dnn.unit`: the set of
    choices whose predicted time, layout transforms between the units included,
    is the smallest that coordinate descent finds from a forward pass. Only
    candidates within the workspace limit and the error bound take part. The
    module must carry the device's facts as `dnn.device`.

    The limits are kept on the module as `dnn.limits`. With `keep-layouts` the
    pass plans what selection added, within the limits kept there; its own
    options count where there are none.

    Before:

    ```mlir
    %y = dnn.unit "conv1" ins(%x, %w : ...) outs(%e : ...) {...}
    ```

    After:

    ```mlir
    %y = dnn.unit "conv1" plan <pieces = [#dnn.piece<count = 1, batch = 0, family = "cpu.direct_conv", ...>],
                                inputs = [#dnn.dims<[n, c, 0, 1, 8c]>, unit],
                                results = [#dnn.dims<[n, c, 0, 1, 8c]>]> ins(%x, %w : ...) outs(%e : ...) {...}
    ```
  }];
  let options = [
    Option<"workspaceLimit", "workspace-limit", "std::string", /*default=*/"\"\"",
           "Largest workspace of a unit, such as 64MiB; empty for no limit">,
    Option<"maxRelativeError", "max-rel-error", "double", /*default=*/"1e-5",
           "Largest relative RMS error that an algorithm may add to the type's rounding">,
    ListOption<"families", "families", "std::string",
               "Kernel families that may be chosen; what none of them can run falls to the generic family">,
    ListOption<"forceFamily", "force-family", "std::string",
               "NODE=FAMILY: the family that runs the unit NODE">,
    Option<"keepLayouts", "keep-layouts", "bool", /*default=*/"false",
           "Leave every tensor in the layout that it has, and keep to the limits of the first run">
  ];
}

def VerifyPlannedPass : Pass<"dnn-verify-planned", "::mlir::ModuleOp"> {
  let summary = "check the contract of the plan stage";
  let description = [{
    Checks that the module carries `dnn.device` and that every `dnn.unit` has a
    plan whose families exist.
  }];
}

#endif // UDNN_PASSES_PLAN
