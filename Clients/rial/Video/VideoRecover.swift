import ArgumentParser
import CaptureKit
import Foundation

struct VideoRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Finishes a recording whose process was killed, without signing anything new.",
        discussion: "Of `rial video record --out`. In the store of a simulated phone `rial queue run` does it.")

    @Argument(help: "Folder of the recording.")
    var folder: String

    func run() async throws {
        let folder = URL(fileURLWithPath: folder).path
        let phone = UnfinishedRecording(folder: folder)
        guard phone.exists else { throw CommandFailure("There is no unfinished recording in \(folder).") }
        let store = try await phone.store()
        var problem: (any Error)?
        try await store.recoverRecordings(assert: { _ in .none }, postponed: { problem = $0 })
        if let problem { throw CommandFailure("The recording cannot be finished: \(problem).") }
        guard let capture = try await store.captures().first else { throw CommandFailure("Nothing was recorded.") }
        try phone.export(capture, from: store)
        Console.result("\(folder): \(capture.recordingSummary)")
    }
}
