//===- Status.h - success or a message ---------------------------*- C++ -*-===//
//
// What functions without MLIR return: success, or the message that says why not.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef UDNN_SUPPORT_STATUS_H
#define UDNN_SUPPORT_STATUS_H

#include <string>
#include <utility>

namespace udnn {

/// Success, or a failure with a message (lower case, no full stop).
class [[nodiscard]] Status {
public:
  Status() = default;

  static Status success() { return Status(); }
  static Status failure(std::string message) {
    Status status;
    status.failed_ = true;
    status.message_ = std::move(message);
    return status;
  }

  bool failed() const { return failed_; }
  bool succeeded() const { return !failed_; }
  const std::string &message() const { return message_; }

private:
  bool failed_ = false;
  std::string message_;
};

} // namespace udnn

#endif // UDNN_SUPPORT_STATUS_H
