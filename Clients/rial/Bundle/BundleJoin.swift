import ArgumentParser
import CaptureProtocol
import Compression
import Foundation
import TransparencyLog

struct BundleJoin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Puts the original photo and its depth map into an owner's bundle.",
        discussion: """
            No server gives these back, so they have to be the files that were sent; anything else is refused. Whoever has the result can \
            verify everything again: the hardware's signature, and the depth analysis.
            """)

    @Argument(help: "An owner's bundle, from `rial bundle get --owner`.")
    var bundle: String

    @Option(help: "The photo as it was sent.")
    var photo: String?

    @Option(help: "The depth map as it was sent, compressed; or raw little-endian float32 (.f32).")
    var depth: String?

    @Option(name: [.short, .customLong("output")], help: "File to write (default: over the bundle).")
    var output: String?

    func validate() throws {
        if photo == nil, depth == nil { throw ValidationError("give --photo, --depth, or both") }
    }

    func run() async throws {
        var joined: EvidenceBundle
        do {
            joined = try EvidenceBundle(try LocalFile.bytes(bundle))
        } catch let error as BundleError {
            throw CommandFailure("\(bundle) \(error.message).")
        }
        guard var owner = joined.owner else {
            throw CommandFailure("\(bundle) is a public bundle; `rial bundle get --owner` fetches the owner's.")
        }
        if let photo {
            let bytes = try LocalFile.bytes(photo)
            guard owner.raw.digests[.photo] == ContentDigest(of: bytes) else { throw Self.notSent(photo) }
            owner.photo = bytes
        }
        if let depth {
            let bytes = try LocalFile.bytes(depth)
            // As `rial capture send` compresses it.
            let forms = [bytes, try? Deflate.compress(bytes)].compactMap(\.self)
            guard let sent = forms.first(where: { owner.raw.digests[.depth] == ContentDigest(of: $0) }) else { throw Self.notSent(depth) }
            owner.depth = sent
        }
        joined.owner = owner
        let target = output ?? bundle
        do {
            try Data(try joined.bytes()).write(to: URL(fileURLWithPath: target), options: .atomic)
        } catch let error as BundleError {
            throw CommandFailure("The bundle cannot be made: \(error.message).")
        }
        Console.result(target)
    }

    private static func notSent(_ path: String) -> CommandFailure {
        CommandFailure("\(path) is not what the device sent with this capture.")
    }
}
