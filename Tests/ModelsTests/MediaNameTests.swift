import Models
import Testing

@Suite("Names of media")
struct MediaNameTests {
    @Test("give an object's content type", arguments: MediaName.allCases)
    func contentType(name: MediaName) {
        let suffix = name.rawValue.split(separator: ".").last.map(String.init) ?? ""
        let types = [
            "jpg": "image/jpeg", "png": "image/png", "c2pa": "application/c2pa", "json": "application/json",
            "gz": "application/octet-stream", "mp4": "video/mp4",
        ]
        #expect(name.contentType == types[suffix])
    }

    @Test("no published name has the type of a page or a script", arguments: MediaName.published)
    func published(name: MediaName) {
        #expect(["image/jpeg", "image/png", "application/c2pa", "video/mp4"].contains(name.contentType))
    }

    @Test("the device's uploads have no published name")
    func originals() {
        #expect(Set(MediaName.allCases).subtracting(MediaName.published) == [.original, .originalVideo, .depth, .hashChain, .metadata])
    }
}
