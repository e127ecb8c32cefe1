//===- WriteModel.cpp - an artifact for tests that run programs -----------===//
//
// Writes the model of TestArtifact.h to the path that is given.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestArtifact.h"

#include <gtest/gtest.h>

int main(int argc, char **argv) {
  if (argc == 2)
    udnn::test::writeModel(argv[1]);
  return argc != 2 || testing::Test::HasFailure();
}
