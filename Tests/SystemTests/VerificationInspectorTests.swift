import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("Verifying with a broken inspector")
    struct BrokenInspectors {
        /// The behaviour of a program that replaces the inspector, and the reported failure.
        enum Failure: String, Sendable, CaseIterable {
            case killed, hanging, crashing, failing, babbling, endless

            var command: String {
                switch self {
                case .killed, .hanging: "exec /bin/sleep 60"
                case .crashing: "kill -SEGV $$"
                case .failing: "exit 1"
                case .babbling: "echo '{\"state\":\"trusted\"'"
                case .endless: "exec /bin/cat /dev/zero"
                }
            }

            var reason: String {
                switch self {
                // The kernel's OOM killer sends the same signal.
                case .killed: "memory"
                case .crashing: "crash"
                case .hanging: "timeout"
                case .failing, .babbling: "garbled_answer"
                case .endless: "limit"
                }
            }
        }

        @Test("makes the file unreadable without other effects", .timeLimit(.minutes(5)), arguments: Failure.allCases)
        func broken(failure: Failure) async throws {
            let program = FileManager.default.temporaryDirectory.appendingPathComponent("rial-inspector-\(UUID().uuidString)")
            // The gateway's self-test at start, with a tiny file, must succeed.
            let trial = "if [ \"$(/usr/bin/head -c 100 | /usr/bin/wc -c)\" -lt 100 ]; then exit 0; fi"
            try Data("#!/bin/sh\n\(trial)\n\(failure.command)\n".utf8).write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            defer { try? FileManager.default.removeItem(at: program) }
            try await VerifyingGatewayTrait(number: 7, settings: ["RIAL_C2PA_INSPECTOR": program.path]).around {
                let gateway = try VerifyingGateway.required()
                let capture = try await SignedCapture.make()
                async let answer = gateway.verify(ForeignPhoto.plain())
                if failure == .killed {
                    var found: Int32?
                    try await eventually("the inspector runs") {
                        found = try gateway.inspectors().first { Self.commandLine($0).contains("sleep") }
                        return found != nil
                    }
                    #expect(kill(try #require(found), SIGKILL) == 0)
                }
                let told = try await answer
                #expect(told.status == 200 && told.verdict == "c2pa_only" && told.validationState == "unreadable", "\(told.text)")
                #expect(told.validationCodes == ["rial.inspection.\(failure.reason)"], "\(told.text)")
                // Verification without the inspector still works.
                #expect(try await gateway.verify(capture.parts.photo).verdict == "verified")
                #expect(try await gateway.client.send("GET", "/health").status == 200)
                try await eventually(within: .seconds(15), "nothing is left") {
                    try gateway.inspectors().isEmpty && gateway.scratchFiles().isEmpty
                }
            }
        }

        @Test(
            "without an inspector, unknown files are refused and our own are still recognised",
            .timeLimit(.minutes(4)))
        func absent() async throws {
            try await VerifyingGatewayTrait(number: 7, settings: ["RIAL_C2PA_INSPECTOR": "/nonexistent/c2pa-inspector"]).around {
                let gateway = try VerifyingGateway.required()
                let capture = try await SignedCapture.make()
                let answer = try await gateway.verify(ForeignPhoto.plain())
                APIRefusal.serviceUnavailable.expectEnvelope(answer)
                #expect(Int(answer.headers["retry-after"] ?? "") != nil)
                #expect(try await gateway.verify(capture.parts.photo).verdict == "verified")
                #expect(try await gateway.admin("/metrics").contains("rial_inspector_up 0"))
                #expect(try gateway.scratchFiles().isEmpty)
            }
        }

        private static func commandLine(_ process: Int32) -> String {
            (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        }
    }
}
