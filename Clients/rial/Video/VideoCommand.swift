import ArgumentParser

/// Records and sends videos of rendered scenes.
struct VideoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "video",
        abstract: "Records a video of a rendered scene, sends one, or spoils one on purpose.",
        discussion: """
            A recording is a folder: video.mp4 or video.mov, depth.gz, hash-chain.json, metadata.json and assertion.cbor, the parts of \
            its upload; while it is not finished all is sealed in a folder of its own, `unfinished`. Or it is sealed in the store of a \
            simulated phone, and `rial queue` sends it.
            """,
        subcommands: [VideoRecord.self, VideoRecover.self, VideoSend.self, VideoSpoil.self])
}
