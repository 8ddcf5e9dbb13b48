"""What the app sends by its WebSocket, written when it arrives; needs the extra ``[live]``."""
