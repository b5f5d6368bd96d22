import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import SimulatedDevice

/// What is wrong on purpose with a video.
enum VideoDefect: String, CaseIterable, ExpressibleByArgument {
    case dropped, duplicated, inserted, reordered, reencoded, turned
    case droppedGapClosed = "dropped-gap-closed"
    case otherDepth = "other-depth"
    case restartedChain = "restarted-chain"
    case missingSignatures = "missing-signatures"
    case soundReplaced = "sound-replaced"
    case moovChanged = "moov-changed"
    case checkpointOtherKey = "checkpoint-other-key"
    case checkpointsExchanged = "checkpoints-exchanged"
    case withoutEnd = "without-end"
    case otherTail = "other-tail"
    case otherHead = "other-head"

    var needsOther: Bool { [.otherDepth, .soundReplaced, .inserted, .reencoded, .otherTail, .otherHead].contains(self) }
}

struct VideoSpoil: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spoil",
        abstract: "Changes a recorded video as an attacker would.",
        discussion: """
            An attacker has no hardware key: signatures stay as they were or go. metadata.json gets the new file's hash. \
            without-end, other-tail and other-head have a chain that fits the new file, and restarted-chain one that begins again at \
            --frame; none of these has a signature of the end; in all others but \
            missing-signatures chain and signatures are those of the recording.
            """)

    @Argument(help: "Folder of the recording.")
    var folder: String
    @Option(help: "Folder to write to; must not exist.")
    var out: String
    @Option(help: "\(VideoDefect.allCases.map(\.rawValue).joined(separator: ", ")).")
    var how: VideoDefect
    @Option(
        help: "Folder of another recording with the same settings, from which depth, sound or frames are taken where the change needs any.")
    var other: String?
    @Option(help: "Number of the frame that is changed.")
    var frame = 100
    @Flag(help: "Send no signature of the end.")
    var dropEnd = false

    func run() throws {
        guard let spoiler = try Self.spoiler(folder), !how.needsOther || other != nil else {
            throw CommandFailure("\(how.rawValue) needs --other, a folder of another recording.")
        }
        var video = spoiler
        let donor = try other.flatMap { try Self.spoiler($0) }
        try video.spoil(how, frame: frame, donor: donor)
        if dropEnd { video.assertion = nil }
        try video.write(to: URL(fileURLWithPath: out, isDirectory: true))
        Console.result("\(out): \(how.rawValue), \(video.pictures.count) frames")
    }

    private static func spoiler(_ path: String) throws -> VideoCopy? { try VideoCopy(VideoFolder(path: path)) }
}
