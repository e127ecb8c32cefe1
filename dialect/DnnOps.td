//===- DnnOps.td - all operations of the dialect ---------------*- tablegen -*-===//
//
// Collects the operations, which are defined by group in the files included here.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_DNN_OPS
#define UDNN_DNN_OPS

include "ConvOps.td"
include "MatmulOps.td"
include "PoolOps.td"
include "NormOps.td"
include "ResizeOps.td"
include "StructureOps.td"
include "LaunchOps.td"

#endif // UDNN_DNN_OPS
