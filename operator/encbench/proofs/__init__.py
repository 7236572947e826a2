"""How evidence about a mode in force is judged, whatever the engine; pure."""
