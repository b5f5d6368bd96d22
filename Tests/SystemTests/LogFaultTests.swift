import Foundation
import TestSupport
import Testing

extension LogTests {
    @Suite("What writes the log, killed and stopped")
    struct Faults {
        @Test(
            "enters each statement once, and shows nobody another tree, killed between any two effects of a round", .timeLimit(.minutes(6)),
            arguments: FaultPoint.chosenOfLog)
        func killed(at point: FaultPoint) async throws {
            let stack = try LocalStack.required()
            let watch = try LogWatch(stack)
            try await watch.during {
                let load = try await StatementLoad(stack)
                try await load.add(20)
                try await stack.killing(at: point) {
                    // May end while it starts.
                    if point.name == FaultPoint.newWriter { try? await stack.control("restart", point.service) }
                    try await load.add(20)
                }
                try await load.add(20)
                try await load.replay()
            }
            try await watch.expectSound(point.name)
        }

        @Test(
            "is one of three, of which one sleeps longer than its session lives, while what they stand on goes away and comes back",
            .timeLimit(.minutes(8)))
        func slept() async throws {
            let stack = try LocalStack.required()
            let watch = try LogWatch(stack)
            try await stack.writers(3) {
                try await eventually("the first one writes") { try await stack.isWritingLog(1) }
                try await watch.during {
                    let load = try await StatementLoad(stack)
                    try await load.during {
                        try await stack.asleep("transparency-log") {
                            try await stack.control("kill", "broker")
                            try await stack.control("start", "broker")
                            if FaultTests.isFull { try await stack.control("restart", "s3") }
                            try await eventually("another one writes") {
                                if try await stack.isWritingLog(2) { return true }
                                return try await stack.isWritingLog(3)
                            }
                            try await stack.control("restart", "postgres")
                        }
                    }
                    try await load.add(1)
                    try await load.replay()
                }
                try await watch.expectSound(hidden: true)
            }
        }
    }
}
